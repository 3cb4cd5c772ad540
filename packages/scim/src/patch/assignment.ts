import type { JsonValue } from '@mintmark/storage-interface'

import type { AttributeTarget } from './patch-target.ts'

/** One thing that an operation does: a value for an attribute, or its removal. */
export interface Assignment {
  readonly op: 'add' | 'remove' | 'replace'
  readonly target: AttributeTarget
  /** Of a remove only where it names values. */
  readonly value: JsonValue | undefined
}
