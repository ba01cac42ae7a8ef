# The collection server of semildp. docs/operate.md says how to run it.
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY requirements ./requirements
COPY src ./src
RUN python -m venv /semildp && /semildp/bin/pip install --no-cache-dir --require-hashes --requirement requirements/serve.txt \
    && /semildp/bin/pip install --no-cache-dir --no-deps .

FROM python:3.12-slim
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin semildp && mkdir /study && chown semildp /study
COPY --from=build /semildp /semildp
ENV PATH=/semildp/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER semildp
WORKDIR /study
VOLUME /study
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
ENTRYPOINT ["semildp"]
CMD ["serve", "/study/study.toml", "--host", "0.0.0.0"]
