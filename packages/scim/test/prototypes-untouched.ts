import { expect } from 'vitest'

/** Runs something and proves that no prototype of the language has gained or lost a member. */
export function prototypesUntouched(act: () => void): void {
  const before = prototypeMembers()

  act()

  expect(prototypeMembers()).toEqual(before)
  expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined()
}

/** The same for work that waits. */
export async function prototypesUntouchedBy<T>(act: () => Promise<T>): Promise<T> {
  const before = prototypeMembers()

  const result = await act()

  expect(prototypeMembers()).toEqual(before)
  expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined()
  return result
}

const prototypeMembers = (): readonly (readonly PropertyKey[])[] =>
  [
    Object.prototype,
    Array.prototype,
    Function.prototype,
    String.prototype,
    Map.prototype,
    Set.prototype,
    Object,
    Array,
  ].map((owner) => Reflect.ownKeys(owner))
