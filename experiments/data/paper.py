"""The ten data sets of the paper."""

from experiments.common.datasets import Recipe, data_set

data_set("ABA", Recipe("abalone.csv", "rings", codes={"M": 1.0, "F": 2.0, "I": 3.0}))
data_set("AQU", Recipe("aquatic_toxicity.csv", "lc50"))
data_set("BUI", Recipe("residential_building.csv", "v9_sale_price", ("v10_construction_cost",)))
data_set("DAK", Recipe("istanbul_stock.csv", "ise_tl", ("date",)))
data_set("FIS", Recipe("fish_toxicity.csv", "lc50"))
data_set("MUS", Recipe("music_origin.csv", "latitude", ("longitude",)))
data_set(
    "POR",
    Recipe(
        "stock_portfolio.csv",
        "annual_return_norm",
        ("period",),
        keep=lambda row: row["period"] == "0",
        prefix="w_",  # the six weights; the other columns are further targets
    ),
)
data_set("PYR", Recipe("pyrimidines.csv", "activity"))
data_set("RED", Recipe("wine_red.csv", "quality"))
data_set("WHI", Recipe("wine_white.csv", "quality"))
