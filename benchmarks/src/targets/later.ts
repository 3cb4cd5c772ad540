/** A value or a promise of it. */
export type Later<Value> = Value | Promise<Value>

/** Maps a value. Does not wait if the value is not a promise. */
export const andThen = <Value, Result>(value: Later<Value>, make: (value: Value) => Result): Later<Result> =>
  value instanceof Promise ? value.then(make) : make(value)
