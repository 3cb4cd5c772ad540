import type { JsonObject } from '@mintmark/storage-interface'

/** A value of ours as JSON has it: without members that are undefined. */
export const plainJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject
