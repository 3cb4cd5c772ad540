import type { RequestHead, ServerResponse } from '@mintmark/internal'

/** Renders the pages on which a user approves a request of a device: `devicePage` of `@mintmark/pages`, or the host's own. */
export type RenderDevicePage = (content: DevicePageContent, request: RequestHead) => ServerResponse

/** A page of the device authorization grant (RFC 8628 §3.3). */
type DevicePageContent = EnterCode | ConfirmDevice | DeviceDecided

/** Asks for the user code. The page's form sends the field `user_code` to `action` with GET. */
interface EnterCode {
  readonly kind: 'enter'
  readonly status: number
  readonly action: string
  /** Why the page is shown again. `throttled`: too many wrong codes. */
  readonly problem: 'unknown' | 'throttled' | undefined
}

/**
 * Asks whether the code is on the device in front of the user. The page shows it even if the user has followed a link
 * with the code in it, because somebody else may have sent the link (RFC 8628 §5.4). Its form is posted to `action` with
 * all of `fields`, and with `decision`: `continue` or `stop`.
 */
interface ConfirmDevice {
  readonly kind: 'confirm'
  readonly status: number
  readonly action: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly userCode: string
  readonly client: DeviceClient
  /** What the client asks for, in sentences for users. */
  readonly scopes: readonly { readonly name: string; readonly description: string }[]
  /** Where the request came from, as the option `device.location` says. Encode it when you show it. */
  readonly askedFrom: string | undefined
  /** When the device asked, in seconds since 1970. */
  readonly askedAt: number
}

/** Says what the user decided. They return to their device. */
interface DeviceDecided {
  readonly kind: 'approved' | 'denied'
  readonly status: number
  readonly client: DeviceClient
}

interface DeviceClient {
  readonly clientId: string
  readonly clientName: string
  /** Identifies a client whose name nobody has verified; show it before the name. */
  readonly unverifiedHost: string | undefined
}
