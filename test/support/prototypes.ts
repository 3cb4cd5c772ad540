/** The own keys of the prototypes that input could pollute. */
export const ownKeysOfPrototypes = (): readonly (readonly PropertyKey[])[] =>
  [Object, Array, Function, String, Map].map(({ prototype }) => Reflect.ownKeys(prototype as object))

/** Asserts that the prototypes are unchanged. */
export const pristine = ownKeysOfPrototypes()
