/** The answer that shows one thing, with its version for the `ETag` (RFC 9110 §8.8.3). */
export const versioned = <View extends { readonly version: number }>(view: View) => ({
  body: view,
  version: view.version,
})
