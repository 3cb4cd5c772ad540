/** Returns the own keys of the prototypes that input could pollute. */
export const ownKeysOfPrototypes = (): readonly (readonly PropertyKey[])[] =>
  [Object, Array, Function, String, Map].map(({ prototype }) => Reflect.ownKeys(prototype as object))

/** The keys before any test; tests assert that `ownKeysOfPrototypes` still returns them. */
export const initialKeysOfPrototypes = ownKeysOfPrototypes()
