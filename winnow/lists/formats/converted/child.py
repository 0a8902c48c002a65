"""The process that ``convert_to_xlsx`` starts."""

from winnow.limited.messages import Question
from winnow.limited.serving import serve

if __name__ == "__main__":
    serve(Question.answer)
