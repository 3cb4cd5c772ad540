/** A value that JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object; its keys come from data, so it is read with `Object.hasOwn` and never through a prototype. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}
