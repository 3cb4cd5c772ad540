/** Who and what a refusal was about, as far as it was known. Names that open nothing. */
export interface RefusalContext {
  readonly clientId?: string | undefined
  readonly userId?: string | undefined
  readonly familyId?: string | undefined
}
