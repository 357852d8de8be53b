"""What a change of a document means for the courses that use it."""

from skillnet_notifier.domain.review import CourseReview, SourceChange, reviews_for

__all__ = ["CourseReview", "SourceChange", "reviews_for"]
