import type { AdminStorage } from '../storage.ts'
import { LawViolationError } from './law-violation-error.ts'
import { isSameValue } from './same-value.ts'

/** A store to be judged: fresh and empty when it is made. */
export interface StorageUnderTest {
  /** A handle bound to the issuer. Handles of one store share what they hold; two of one issuer see the same rows. */
  open(issuer: string): Promise<AdminStorage>
  /** Called once, when the law has been judged, kept or not. */
  close(): Promise<void>
}

export type MakeStore = () => Promise<StorageUnderTest>

/** One sentence of the storage contract, and the judge of it. */
export interface StorageLaw {
  readonly name: string
  /** Makes a store of its own, and closes it. @throws LawBroken when the store does not keep the law, or throws. */
  run(makeStore: MakeStore): Promise<void>
}

/** What a law is judged with. */
export interface Trial {
  /** A handle bound to `issuer`. */
  readonly storage: AdminStorage
  readonly issuer: string
  /** One of two handles on the same store and issuer, alternating: as two servers would have. */
  readonly server: (index: number) => AdminStorage
  /** A further handle on the same store. */
  readonly open: (issuer: string) => Promise<AdminStorage>
  /** @throws LawBroken when the two are not the same data. A member that is `undefined` counts as not there. */
  readonly same: (found: unknown, expected: unknown, about: string) => void
}

export function law(name: string, judge: (trial: Trial) => Promise<void>): StorageLaw {
  return {
    name,
    async run(makeStore) {
      const store = await makeStore()
      try {
        await judge(await beginTrial(name, store))
      } catch (thrown) {
        if (thrown instanceof LawViolationError) throw thrown
        throw new LawViolationError({
          law: name,
          about: 'the store threw',
          expected: 'an answer',
          found: thrown,
          cause: thrown,
        })
      } finally {
        await store.close()
      }
    },
  }
}

async function beginTrial(name: string, store: StorageUnderTest): Promise<Trial> {
  const storage = await store.open(issuer)
  const second = await store.open(issuer)

  return {
    storage,
    issuer,
    server: (index) => (index % 2 === 0 ? storage : second),
    open: (other) => store.open(other),
    same: (found, expected, about) => {
      if (!isSameValue(found, expected)) throw new LawViolationError({ law: name, about, expected, found })
    },
  }
}

const issuer = 'https://issuer.example'
