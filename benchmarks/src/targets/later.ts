/** A value, or a promise of it. */
export type Later<Value> = Value | Promise<Value>

/** Maps the value without awaiting when it is not a promise. */
export const andThen = <Value, Result>(value: Later<Value>, make: (value: Value) => Result): Later<Result> =>
  value instanceof Promise ? value.then(make) : make(value)
