"""Winnow in the engines that people run: ``import winnow.polars`` and so on, from this folder.

The modules are named like the engines. In a folder of their own they stand in nobody's way: what
runs from inside the package's folder would find them in the engines' place.
"""
