declare const brand: unique symbol

/**
 * A value of `T` that only the brand's home file can make: the name says which check or meaning it carries. A value may
 * carry several brands, each from its own home.
 */
export type Brand<T, Name extends string> = T & { readonly [brand]: { readonly [Each in Name]: true } }
