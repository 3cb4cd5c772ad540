import type { PendingInteraction } from '@mintmark/core'
import type { ServerRequest, ServerResponse } from '@mintmark/core/http'
import type { WebAuthnCredential } from '@simplewebauthn/server'

/** Where users see your server, such as https://id.example.com. */
export declare const origin: string
/** 32 random bytes that all servers share. */
export declare const key: Uint8Array

/** The public key of a passkey, its user, and what the page shows. */
export interface StoredPasskey extends WebAuthnCredential {
  readonly userId: string
  readonly name: string
  readonly createdAt: number
}

export declare function findPasskey(id: string): Promise<StoredPasskey | undefined>
export declare function listPasskeys(userId: string): Promise<readonly StoredPasskey[]>
export declare function savePasskey(userId: string, credential: WebAuthnCredential): Promise<void>
export declare function removePasskey(userId: string, id: string): Promise<void>
export declare function saveCounter(passkey: StoredPasskey, counter: number): Promise<void>
export declare const toSignIn: ServerResponse
export declare function passwordSignIn(
  pending: PendingInteraction & { passkey: object },
  request: ServerRequest,
): Promise<ServerResponse>
