/** A request to the HSM process. */
export type HsmRequest =
  | { readonly id: number; readonly kind: 'generate' }
  | { readonly id: number; readonly kind: 'sign'; readonly name: string; readonly bytes: string }

/** The HSM's answer: a new key, a signature in base64, or an error message in `failure`. */
export interface HsmAnswer {
  readonly id: number
  readonly name?: string
  readonly publicJwk?: Readonly<Record<string, string>>
  readonly signature?: string
  readonly failure?: string
}
