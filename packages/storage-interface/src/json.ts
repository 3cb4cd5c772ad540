import type { Brand } from './brand.ts'

/** A value that JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object; its keys come from data, so it is read with `Object.hasOwn` and never through a prototype. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/**
 * A JSON object as text. Stores hold it and give it back character by character: what stands in it, and in which order, is its
 * writer's business alone.
 */
export type JsonText = Brand<string, 'JsonText'>

/** A JSON object as text, without white space. */
export const jsonText = (value: JsonObject): JsonText => JSON.stringify(value) as JsonText
