import type { JsonObject } from '@mintmark/storage-interface'

/** An endpoint as it is published: what `openApiOf` makes a document of. */
export interface PublishedEndpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the server's address, with its parts in braces. */
  readonly path: string
  readonly group: string
  readonly summary: string
  /** Where it is defined: `RFC 6749 §3.2`. */
  readonly standard: string
  /** Names of security schemes, each of which is enough; empty where anybody may ask. */
  readonly security: readonly string[]
  readonly parameters?: readonly Parameter[]
  /** The fields of a form. */
  readonly form?: readonly Field[]
  /** A body that is no form. */
  readonly body?: Content
  /** By status. */
  readonly answers: Readonly<Record<number, Answer>>
}

/** A member of a query, a header or a form. */
export interface Field {
  readonly name: string
  readonly description: string
  readonly required?: true
  readonly schema?: JsonObject
}

export interface Parameter extends Field {
  readonly in: 'path' | 'query' | 'header'
}

export interface Content {
  readonly mediaType: string
  readonly schema: JsonObject
}

export interface Answer {
  readonly description: string
  readonly content?: readonly Content[]
}

/** A parameter of a query. */
export const inQuery = (field: Field): Parameter => ({ ...field, in: 'query' })

/** A schema that stands under `components`. */
export const schemaRef = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` })
