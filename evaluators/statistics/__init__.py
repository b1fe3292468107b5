"""Rates with intervals, tests by name, ratings with uncertainty: no figure leaves LieCraft without its n."""

from liecraft.evaluators.statistics.estimate import Estimate, StatisticsError
from liecraft.evaluators.statistics.intervals import Rate, clopper_pearson, normal, rule_of_three, wilson

__all__ = ["Estimate", "Rate", "StatisticsError", "clopper_pearson", "normal", "rule_of_three", "wilson"]
