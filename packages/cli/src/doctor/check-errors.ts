import { type Answer, type DoctorTarget, type Finding, endpointOf, fail, ok } from './target.ts'

/** Checks that errors arrive as the standards define them, through any proxy: RFC 6749 §5.2, RFC 6750 §3. */
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
    finding('errors.token', isTokenError(token), 'The token endpoint refuses with a JSON error that is not cached.'),
    finding(
      'errors.userinfo',
      userinfo?.status === 401 && challenges(userinfo),
      'The userinfo endpoint refuses with 401 and asks for a bearer token.',
    ),
    finding(
      'errors.page',
      isErrorPage(authorization),
      'The authorization endpoint refuses with a page that other sites cannot frame.',
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

const challenges = ({ headers }: Answer): boolean => /^Bearer\b/i.test(headers.get('www-authenticate') ?? '')

const contentType = ({ headers }: Answer): string => headers.get('content-type') ?? ''

const finding = (check: 'errors.token' | 'errors.userinfo' | 'errors.page', holds: boolean, rule: string): Finding =>
  holds
    ? ok(check, rule)
    : fail(
        check,
        `This is not the case: ${rule}`,
        'Pass the server’s responses on unchanged: no error pages of the proxy, and no middleware that changes status, headers or body.',
      )

function leakFinding(answers: readonly (Answer | undefined)[]): Finding {
  if (answers.every((answer) => answer === undefined || !/\n\s+at .+[:(]/.test(answer.text)))
    return ok('errors.detail', 'Error responses show no internal details.')
  return fail(
    'errors.detail',
    'An error response shows a stack trace.',
    'Start the host with NODE_ENV=production, and give it an error handler that shows no details.',
  )
}
