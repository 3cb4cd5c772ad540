/** The versions that a row may have to be changed: the one that was asked for, or any. */
export const versionRange = (
  version: number | undefined,
): { readonly least_version: number; readonly greatest_version: number } => ({
  least_version: version ?? 0,
  greatest_version: version ?? Number.MAX_SAFE_INTEGER,
})
