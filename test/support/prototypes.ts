/** The own keys of the prototypes that input could poison. */
export const ownKeysOfPrototypes = (): readonly (readonly PropertyKey[])[] =>
  [Object, Array, Function, String, Map].map(({ prototype }) => Reflect.ownKeys(prototype as object))

/** The same as they were at the start. */
export const pristine = ownKeysOfPrototypes()
