/**
 * What Zod, Valibot, ArkType and others have in common (Standard Schema, version 1): a member that says whether a
 * value is admitted, and what it becomes.
 */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>
  }
}

/** Without `issues` the value is admitted. */
interface SchemaResult {
  readonly value?: unknown
  readonly issues?: readonly unknown[] | undefined
}
