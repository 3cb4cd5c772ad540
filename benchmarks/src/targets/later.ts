/** A value that is there at once, or later. */
export type Later<Value> = Value | Promise<Value>

/** What is made of the value, when it is there. Nothing waits for what is there at once. */
export const andThen = <Value, Result>(value: Later<Value>, make: (value: Value) => Result): Later<Result> =>
  value instanceof Promise ? value.then(make) : make(value)
