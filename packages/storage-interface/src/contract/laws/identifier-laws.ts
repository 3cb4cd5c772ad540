import { law, type StorageLaw } from '../law.ts'
import { recordKinds } from '../record-kinds.ts'

/** Identifiers and digests are compared byte for byte, whatever is in them (RFC 6749 §2.2). */
export const identifierLaws: readonly StorageLaw[] = recordKinds.map(({ store, make, insert, read }) =>
  law(`identifiers: ${store} are told apart byte for byte`, async ({ storage, same }) => {
    for (const id of identifiers)
      same(await insert(storage, make(id)), { outcome: 'inserted' }, `inserting ${show(id)}`)
    for (const id of identifiers) same(await read(storage, id), make(id), `reading ${show(id)}`)
    for (const id of strangers) same(await read(storage, id), undefined, `reading ${show(id)}, which is not there`)
  }),
)

const identifiers = [
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

const strangers = ['', 'a', 'abcd', 'a%%', 'abc\n', 'toString', 'x'.repeat(255)]

const show = (id: string): string => JSON.stringify(id.slice(0, 40))
