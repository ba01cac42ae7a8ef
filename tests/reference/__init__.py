"""The paper, word for word: loops over people, plain numbers, no cleverness, nothing imported from semildp.

Read it beside the paper: labels (equation 3), trees and cart (Algorithm 1 and what replaces it), cells (the sets V_i),
responses (equations 4 and 6, Appendix A.1), totals, indicators and estimate (equation 7). `cases` generates the data.
Beyond the paper: pairs (the law of a report of two things together), joint (its sums), shrinking (level by level).
"""
