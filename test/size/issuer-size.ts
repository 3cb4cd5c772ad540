import { createHash } from 'node:crypto'

import { WrongWordsError } from '../../scripts/command-words.ts'

/** How many records an issuer has. */
export interface IssuerSize {
  readonly users: number
  readonly directories: number
  /** Every second user has signed in, and has twenty token families. */
  readonly families: number
}

export const sizeOf = (users: number): IssuerSize => ({
  users,
  directories: Math.max(2, users / 1000),
  families: users * 10,
})

/** Parses the size of a command: a part of ten million users, or a number of users. @throws WrongWordsError for any other. */
export function usersOf(name: string): number {
  const users = { tenth: 1_000_000, hundredth: 100_000 }[name] ?? Number(name)
  if (!Number.isInteger(users / 1000) || users < 10_000)
    throw new WrongWordsError('--size is tenth, hundredth, or a multiple of 1,000 from 10,000.')
  return users
}

/** Half of them have a family for each of four devices. */
export const clientIds = ['client-0', 'client-1', 'client-2', 'client-3', 'client-4'] as const
export const familiesOfUser = 20

/** The identifier that the expression `identifierOf` has in SQL. */
export const identifier = (kind: string, number: number): string =>
  createHash('md5').update(`${kind} ${number}`).digest('hex').slice(0, 22)

export const userIdOf = (number: number): string => identifier('user', number)

/** The first directory has a tenth of all users, and the others the rest. */
export const directoryOf = (user: number, { directories }: IssuerSize): number =>
  user % 10 === 0 ? 0 : 1 + (user % (directories - 1))

export const directoryId = (number: number | string): string => `directory-${number}`

/** The same, as an SQL expression of the number `n` of a user. */
export const directoryNumber = ({ directories }: IssuerSize): string =>
  `(CASE WHEN n % 10 = 0 THEN 0 ELSE 1 + n % ${directories - 1} END)`

/** `count` numbers of users that are spread over all users who have signed in, or over all users of the first directory. */
export function spread(count: number, { users }: IssuerSize, step: 2 | 10): readonly number[] {
  const steps = Math.floor(users / step)
  return Array.from({ length: count }, (_, turn) => step * (1 + Math.floor((turn * steps) / count)))
}
