import { CommandError } from '../command-error.ts'
import type { Answer, Probe } from '../doctor/target.ts'
import type { Io } from '../io.ts'
import { printable } from '../show.ts'

/** The endpoints of the device authorization grant. */
export interface DeviceEndpoints {
  readonly deviceEndpoint: string
  readonly tokenEndpoint: string
}

/** The response to a device authorization request (RFC 8628 §3.2). */
export interface DeviceCode {
  readonly deviceCode: string
  readonly userCode: string
  readonly verificationUri: string
  readonly verificationUriComplete: string | undefined
  /** In seconds. */
  readonly expiresIn: number
  /** In seconds. */
  readonly interval: number
}

/** The token response, as the server sent it (RFC 6749 §5.1). */
export type DeviceTokens = Readonly<Record<string, unknown>>

/** @throws CommandError with the error of the server. */
export async function requestCode(
  parameters: Readonly<Record<string, string>>,
  { deviceEndpoint }: DeviceEndpoints,
  probe: Probe,
): Promise<DeviceCode> {
  const answer = await probe(deviceEndpoint, { method: 'POST', body: new URLSearchParams(parameters) })
  const {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: verificationUri,
    verification_uri_complete: complete,
    expires_in: expiresIn,
    interval,
  } = answer?.json ?? {}
  const isComplete = typeof deviceCode === 'string' && typeof userCode === 'string'
  if (answer?.status !== 200 || !isComplete || !isPage(verificationUri)) throw refusalOf(answer)
  return {
    deviceCode,
    userCode,
    verificationUri,
    verificationUriComplete: isPage(complete) ? complete : undefined,
    // RFC 8628 §3.2: a client that is told nothing waits for five seconds.
    expiresIn: typeof expiresIn === 'number' && expiresIn > 0 ? expiresIn : 600,
    interval: typeof interval === 'number' && interval > 0 ? interval : 5,
  }
}

/** Users open the page in a browser, so it must not be a script or a file. */
const isPage = (url: unknown): url is string => typeof url === 'string' && /^https?:\/\//.test(url)

/**
 * Polls until the user has decided (RFC 8628 §3.5). A server that does not answer is asked again after twice the time.
 * @throws CommandError when the user denies the request, or does not decide in time.
 */
export async function pollForTokens(
  { code, clientId }: { readonly code: DeviceCode; readonly clientId: string },
  { tokenEndpoint }: DeviceEndpoints,
  { probe, io }: { readonly probe: Probe; readonly io: Pick<Io, 'clock' | 'sleep'> },
): Promise<DeviceTokens> {
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: code.deviceCode,
    client_id: clientId,
  })
  const expiresAt = io.clock() + code.expiresIn
  let { interval } = code
  while (io.clock() < expiresAt) {
    await io.sleep(interval)
    const answer = await probe(tokenEndpoint, { method: 'POST', body })
    const error = answer?.json?.['error']
    if (answer?.status === 200 && answer.json !== undefined) return answer.json
    if (answer === undefined || answer.status >= 500) interval = Math.min(interval * 2, 60)
    else if (error === 'slow_down') interval += 5
    else if (error !== 'authorization_pending') throw refusalOf(answer)
  }
  throw new CommandError('Nobody approved the code in time. Start again.')
}

function refusalOf(answer: Answer | undefined): CommandError {
  if (answer === undefined) return new CommandError('The server does not answer.')
  const { error, error_description: description } = answer.json ?? {}
  if (error === 'access_denied') return new CommandError('The request was denied.')
  if (error === 'expired_token') return new CommandError('Nobody approved the code in time. Start again.')
  const text = typeof description === 'string' ? description : `The server answered with ${answer.status}.`
  return new CommandError(`${typeof error === 'string' ? `${printable(error)}: ` : ''}${printable(text)}`)
}
