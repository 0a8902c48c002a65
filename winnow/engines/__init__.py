"""Winnow in the engines that people run: ``import winnow.polars`` and so on, from this folder.

The modules are named like the engines. They have a folder of their own, since code that runs inside
the package's folder would import them instead of the engines.
"""
