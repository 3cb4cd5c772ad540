import { law, type StorageLaw } from '../law.ts'
import { recordKinds } from '../record-kinds.ts'

/** What the store holds is its own. */
export const ownershipLaws: readonly StorageLaw[] = recordKinds.map(({ store, make, insert, read }) =>
  law(
    `ownership: ${store} cannot be altered through a record that was passed in or handed out`,
    async ({ storage, same }) => {
      const passedIn = make('id-1')
      await insert(storage, passedIn)
      spoil(passedIn)
      same(await read(storage, 'id-1'), make('id-1'), 'after the record passed in was altered')

      spoil(await read(storage, 'id-1'))
      same(await read(storage, 'id-1'), make('id-1'), 'after the record handed out was altered')
    },
  ),
)

/** Overwrites whatever can be overwritten, at every depth; a frozen record stays as it is. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return

  for (const key of Object.keys(value)) {
    spoil(Reflect.get(value, key))
    Reflect.set(value, key, 'spoiled')
  }
  Reflect.set(value, Array.isArray(value) ? value.length : 'spoiled', 'spoiled')
}
