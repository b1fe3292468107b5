"""Rates with intervals: no figure leaves LieCraft without its n."""

from liecraft.evaluators.statistics.intervals import Rate, clopper_pearson, rule_of_three, wilson

__all__ = ["Rate", "clopper_pearson", "rule_of_three", "wilson"]
