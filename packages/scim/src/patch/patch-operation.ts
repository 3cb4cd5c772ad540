import type { JsonValue } from '@mintmark/storage-interface'

/** One operation of a PATCH request (RFC 7644 §3.5.2), in lower case; its path is not yet looked up. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string | undefined; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string; readonly value: JsonValue | undefined }
