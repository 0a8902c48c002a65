"""The process that ``convert_to_xlsx`` starts."""

from typing import cast

from winnow.limited.serving import serve
from winnow.lists.formats.converted.convert import Conversion

if __name__ == "__main__":
    serve(lambda question: cast(Conversion, question).answer())
