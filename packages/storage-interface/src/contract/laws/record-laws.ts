import type { OAuthStorage } from '../../storage.ts'
import { law, type StorageLaw, type Trial } from '../law.ts'
import type { RecordKind } from '../record-kinds.ts'

/** The laws that every record keeps alike: identifiers, ownership and isolation. */
export const recordLaws = <Storage extends OAuthStorage>(
  kinds: readonly RecordKind<Storage>[],
): readonly StorageLaw<Storage>[] => [
  ...kinds.map(identifierLaw),
  ...kinds.map(ownershipLaw),
  ...kinds.map(isolationLaw),
]

/** Identifiers and digests are compared byte for byte, whatever they contain (RFC 6749 §2.2). */
const identifierLaw = <Storage extends OAuthStorage>({ store, make, insert, read }: RecordKind<Storage>) =>
  law<Storage>(`identifiers: ${store} are told apart byte for byte`, async ({ storage, same }) => {
    for (const id of identifiers)
      same(await insert(storage, make(id)), { outcome: 'inserted' }, `inserting ${show(id)}`)
    for (const id of identifiers) same(await read(storage, id), make(id), `reading ${show(id)}`)
    for (const id of strangers) same(await read(storage, id), undefined, `reading ${show(id)}, which is not there`)
  })

/** What the store holds is its own. */
const ownershipLaw = <Storage extends OAuthStorage>({ store, make, insert, read }: RecordKind<Storage>) =>
  law<Storage>(
    `ownership: ${store} cannot be altered through a record that was passed in or handed out`,
    async ({ storage, same }) => {
      const passedIn = make('id-1')
      await insert(storage, passedIn)
      spoil(passedIn)
      same(await read(storage, 'id-1'), make('id-1'), 'after the record passed in was altered')

      spoil(await read(storage, 'id-1'))
      same(await read(storage, 'id-1'), make('id-1'), 'after the record handed out was altered')
    },
  )

/** What one issuer's storage wrote is not found through another's. */
const isolationLaw = <Storage extends OAuthStorage>({ store, make, insert, read }: RecordKind<Storage>) =>
  isolation<Storage>(`${store} are read and inserted`, async ({ storage, same }, other) => {
    await insert(storage, make('id-1'))

    same(await read(other, 'id-1'), undefined, 'reading as the other issuer')
    same(await insert(other, make('id-1')), { outcome: 'inserted' }, 'inserting as the other issuer')
    same(await read(storage, 'id-1'), make('id-1'), "the first issuer's record")
  })

/** A law that is checked with a storage of a second issuer. */
export function isolation<Storage extends OAuthStorage = OAuthStorage>(
  subject: string,
  check: (trial: Trial<Storage>, other: Storage) => Promise<void>,
): StorageLaw<Storage> {
  return law<Storage>(`isolation: ${subject} by their own issuer only`, async (trial) => {
    // The other issuer's identifier begins with the first one's.
    await check(trial, await trial.open(`${trial.issuer}/tenant`))
  })
}

/** Overwrites whatever can be overwritten, at every depth; a frozen record stays as it is. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return

  for (const key of Object.keys(value)) {
    spoil(Reflect.get(value, key))
    Reflect.set(value, key, 'spoiled')
  }
  Reflect.set(value, Array.isArray(value) ? value.length : 'spoiled', 'spoiled')
}

export const identifiers = [
  'abc',
  'ABC',
  'aBc',
  'abc ',
  ' abc',
  'äbc',
  'a\u0308bc',
  '1',
  '01',
  '1.0',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'null',
  'undefined',
  "a'b",
  'a"b',
  'a\\',
  'a%',
  'a_',
  'a|b',
  'https://client.example/id?a=b#c',
  '漢字😀',
  'x'.repeat(254),
  `${'x'.repeat(254)}y`,
]

export const strangers = ['', 'a', 'abcd', 'a%%', 'abc\n', 'toString', 'x'.repeat(255)]

export const show = (id: string): string => JSON.stringify(id.slice(0, 40))
