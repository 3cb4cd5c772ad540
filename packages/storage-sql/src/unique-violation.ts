/** A write would have made two rows of one key. It was not carried out; a store looks which key it was, and answers. */
export class UniqueViolationError extends Error {
  override readonly name = 'UniqueViolation'
}
