/** Whether an operation failed because there is no such file. */
export const isAbsent = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/** Whether an operation failed because there is a file already. */
export const isThere = (error: unknown): boolean => codeOf(error) === 'EEXIST'

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
