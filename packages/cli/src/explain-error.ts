import { AdminError } from '@mintmark/admin'
import { SchemaMismatchError } from '@mintmark/storage-sql'
import { MigrateCommandError, privilegeRefusal } from '@mintmark/storage-sql/command'
import { StorageUnavailableError } from '@mintmark/storage-interface'

import { CommandError, UsageError } from './command-error.ts'

/** What an operator is told of an error: one line, no stack. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Something failed and did not say why.'
  // A failure that a caller over HTTP is told nothing of: whoever holds the database may know.
  if (error instanceof AdminError && error.status >= 500 && error.cause !== undefined) return sentenceOf(error.cause)
  const refusal = privilegeRefusal(error)
  if (refusal !== undefined) return oneLine(refusal)
  const sentence = oneLine(error.message)
  return isExpected(error) ? sentence : `This should not have happened: ${error.name}: ${sentence}`
}

export const exitCodeOf = (error: unknown): 1 | 2 => (error instanceof UsageError ? 2 : 1)

const isExpected = (error: Error): boolean => expected.some((kind) => error instanceof kind)

const expected = [CommandError, MigrateCommandError, AdminError, SchemaMismatchError, StorageUnavailableError]

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').trim()
