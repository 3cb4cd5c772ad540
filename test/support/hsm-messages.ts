/** What the process of the HSM is asked. */
export type HsmRequest =
  | { readonly id: number; readonly kind: 'generate' }
  | { readonly id: number; readonly kind: 'sign'; readonly name: string; readonly bytes: string }

/** What it answers: a new key, a signature in base64, or that it cannot. */
export interface HsmAnswer {
  readonly id: number
  readonly name?: string
  readonly publicJwk?: Readonly<Record<string, string>>
  readonly signature?: string
  readonly failure?: string
}
