import type { RequestHead, ServerResponse } from '@mintmark/internal'

import type { OAuthErrorCode } from '../refusals.ts'

/** Renders the pages of a logout: `logoutPage` of `@mintmark/pages`, or the host's own. */
export type RenderLogoutPage = (content: LogoutPageContent, request: RequestHead) => ServerResponse

/** A page of a logout. */
type LogoutPageContent = ConfirmLogout | SignedOut | StillSignedIn

interface LogoutPageBasics {
  readonly status: number
  /** What is wrong with the request: the error code, and a fixed sentence that contains no part of the request. */
  readonly problem: { readonly code: OAuthErrorCode; readonly description: string } | undefined
  /** The client that requests the logout, if the request names one. Show `unverifiedHost` before an unverified name. */
  readonly client:
    { readonly clientId: string; readonly clientName: string; readonly unverifiedHost: string | undefined } | undefined
  /** The user's preferred languages, best first. */
  readonly uiLocales: readonly string[]
}

/**
 * Asks the user whether to sign out, because the request does not prove that it is legitimate (RP-Initiated Logout §2).
 * The page's form is posted to `action` with all of `fields`, and with `decision`: `sign_out` or `stay`.
 */
interface ConfirmLogout extends LogoutPageBasics {
  readonly kind: 'confirm'
  readonly action: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** The user's own name for the account that is signed in, from its claims. Encode it when you show it. */
  readonly accountName: string | undefined
  /** The clients that the user has signed in to in this session, at most 20. Show them like `client`. */
  readonly apps: readonly { readonly clientName: string; readonly unverifiedHost: string | undefined }[]
  /** The client's name for the user who signs out, from `logout_hint`. Encode it when you show it. */
  readonly logoutHint: string | undefined
  /**
   * The address that the response to the form redirects to. Chrome applies the page's `form-action` to it, and to every
   * redirect that follows.
   */
  readonly returnsTo: string | undefined
}

/** Says that the user has signed out. */
interface SignedOut extends LogoutPageBasics {
  readonly kind: 'signed_out'
  /** The addresses to load in frames (Front-Channel Logout §3); the page's `frame-src` must allow their origins. */
  readonly frames: readonly string[]
  /** The address to which the page continues once the frames have loaded, or after three seconds. */
  readonly continueTo: string | undefined
}

/** Says that the user is still signed in, as the user has chosen. */
interface StillSignedIn extends LogoutPageBasics {
  readonly kind: 'signed_in'
}
