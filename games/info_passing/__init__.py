"""Info-passing: a bulletin travels from seat to seat, and some of those who carry it want it wrong."""
