import type { Brand } from './identifiers.ts'

/** A value that JSON can carry. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject

/** A JSON object; its keys come from data, so it is read with `Object.hasOwn` and never through a prototype. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/**
 * A JSON object as text. Stores keep it character by character and do not parse it.
 */
export type JsonText = Brand<string, 'JsonText'>

/** A JSON object as text, without white space. */
export const jsonText = (value: JsonObject): JsonText => JSON.stringify(value) as JsonText

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isArray = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)

/** An own property of an object, never an inherited one; `undefined` for a value that is not an object. */
export const memberOf = (owner: JsonValue | undefined, name: string): JsonValue | undefined =>
  isObject(owner) && Object.hasOwn(owner, name) ? owner[name] : undefined
