import { AdminError } from '@mintmark/admin'
import { ProvisioningError } from '@mintmark/provisioning'
import { StorageUnavailableError } from '@mintmark/storage-interface'
import { SchemaMismatchError } from '@mintmark/storage-sql'
import { MigrateCommandError, privilegeRefusal, UnsupportedServerError } from '@mintmark/storage-sql/command'

/** A command failed or found a problem. The message is one line for the operator. Exit code 1. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
}

/** A command was called with wrong arguments. Exit code 2. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError'
}

/** Returns the message of an error for the operator: one line, without a stack trace. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return 'The command failed without an error message.'
  // The HTTP API hides the cause of an internal failure. The operator has access to the database and may see it.
  if (error instanceof AdminError && error.status >= 500 && error.cause !== undefined) return sentenceOf(error.cause)
  const refusal = privilegeRefusal(error)
  if (refusal !== undefined) return oneLine(refusal)
  const sentence = oneLine(error.message)
  return isExpected(error) ? sentence : `Internal error: ${error.name}: ${sentence}`
}

export const exitCodeOf = (error: unknown): 1 | 2 => (error instanceof UsageError ? 2 : 1)

// The class SealingKeyError is not exported, so it is recognized by its name.
const isExpected = (error: Error): boolean =>
  error.name === 'SealingKeyError' || expected.some((kind) => error instanceof kind)

const expected = [
  CommandError,
  MigrateCommandError,
  AdminError,
  ProvisioningError,
  SchemaMismatchError,
  StorageUnavailableError,
  UnsupportedServerError,
]

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').trim()
