import { type Answer, type DoctorTarget, type Finding, endpointOf, fail, ok } from './target.ts'

/** Checks that proxies do not change errors, which must arrive as in RFC 6749 §5.2 and RFC 6750 §3. */
export async function checkErrors(target: DoctorTarget): Promise<readonly Finding[]> {
  const form = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=doctor',
  }
  const [token, userinfo, authorization] = await Promise.all([
    target.probe(endpointOf(target, 'token_endpoint', '/token'), form),
    target.probe(endpointOf(target, 'userinfo_endpoint', '/userinfo')),
    target.probe(endpointOf(target, 'authorization_endpoint', '/auth')),
  ])
  return [
    isTokenError(token)
      ? ok('errors.token', 'The token endpoint returns a JSON error that is not cached.')
      : fail(
          'errors.token',
          'The token endpoint does not return a JSON error, or the error can be cached.',
          forwardUnchanged,
        ),
    userinfo?.status === 401 && hasChallenge(userinfo)
      ? ok('errors.userinfo', 'The userinfo endpoint returns 401 and requests a bearer token.')
      : fail(
          'errors.userinfo',
          'The userinfo endpoint does not return 401 and request a bearer token.',
          forwardUnchanged,
        ),
    isErrorPage(authorization)
      ? ok('errors.page', 'The authorization endpoint returns an error page that other sites cannot frame.')
      : fail(
          'errors.page',
          'The authorization endpoint does not return an error page, or other sites can frame the page.',
          forwardUnchanged,
        ),
    leakFinding([token, userinfo, authorization]),
  ]
}

const isTokenError = (answer: Answer | undefined): boolean =>
  answer !== undefined &&
  (answer.status === 400 || answer.status === 401) &&
  typeof answer.json?.['error'] === 'string' &&
  contentType(answer).startsWith('application/json') &&
  (answer.headers.get('cache-control') ?? '').includes('no-store')

/** RFC 9700 §4.16: a framed page allows clickjacking. */
const isErrorPage = (answer: Answer | undefined): boolean =>
  answer?.status === 400 &&
  contentType(answer).startsWith('text/html') &&
  ((answer.headers.get('content-security-policy') ?? '').includes('frame-ancestors') ||
    answer.headers.has('x-frame-options'))

const hasChallenge = ({ headers }: Answer): boolean => /^Bearer\b/i.test(headers.get('www-authenticate') ?? '')

const contentType = ({ headers }: Answer): string => headers.get('content-type') ?? ''

const forwardUnchanged =
  'Forward the server’s responses unchanged, without error pages of the proxy or middleware that changes status, headers or body.'

function leakFinding(answers: readonly (Answer | undefined)[]): Finding {
  if (answers.every((answer) => answer === undefined || !/\n\s+at .+[:(]/.test(answer.text)))
    return ok('errors.detail', 'Error responses contain no internal details.')
  return fail(
    'errors.detail',
    'An error response contains a stack trace.',
    'Start the host with NODE_ENV=production, and give it an error handler that shows no details.',
  )
}
