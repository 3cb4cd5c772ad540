import type { SqlRow, SqlValue } from '../dialect.ts'

/**
 * A value as PostgreSQL can hold it. Its text holds every character but U+0000, and anybody may put one into a `nonce` or
 * into the `client_id` of a request. Refusing it would make a difference between engines, and an error in the database
 * one between 400 and 500: so it is written as two other characters, and so is the one that begins those two.
 */
export const encodeValue = (value: SqlValue): SqlValue =>
  typeof value === 'string' && special.test(value)
    ? value.replaceAll('\u001A', '\u001As').replaceAll('\0', '\u001A0')
    : value

/** A row with the text that was given to `encodeValue`. */
export const decodeRow = (row: SqlRow): SqlRow =>
  Object.values(row).some((value) => typeof value === 'string' && value.includes('\u001A'))
    ? Object.fromEntries(Object.entries(row).map(([name, value]) => [name, decodeValue(value)]))
    : row

const decodeValue = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\u001A0', '\0').replaceAll('\u001As', '\u001A') : value

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const special = /[\0\u001A]/
