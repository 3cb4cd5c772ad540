import { dangerouslyUnescaped, type Fragment } from './html.ts'

/** A script of a page, with its hash for the policy (CSP 3 §2.3.1). */
export interface PageScript {
  readonly element: Fragment
  /** Such as `sha256-…`. A constant, so that no page waits for a digest. A test compares it with the script. */
  readonly hash: string
}

/**
 * Asks the browser for a passkey, and posts the form with it. On a sign-in page the browser also offers passkeys in the
 * field of the name (WebAuthn Level 3 §5.1.4, conditional mediation), until the user presses the button. Without support
 * it does nothing, and the button stays hidden.
 */
const scriptText = `(function () {
  var form = document.querySelector('form[data-passkey-get],form[data-passkey-create]')
  var Key = window.PublicKeyCredential
  if (!form || !Key || !Key.parseRequestOptionsFromJSON) return
  var isNew = form.hasAttribute('data-passkey-create')
  var json = JSON.parse(form.getAttribute(isNew ? 'data-passkey-create' : 'data-passkey-get'))
  var options = isNew ? Key.parseCreationOptionsFromJSON(json) : Key.parseRequestOptionsFromJSON(json)
  var button = form.querySelector('[data-passkey-button]')
  var failure = form.querySelector('[data-passkey-failure]')
  var waiting = new AbortController()
  function send(credential) {
    form.elements.passkey.value = JSON.stringify(credential.toJSON())
    HTMLFormElement.prototype.submit.call(form)
  }
  function fail(error) {
    if (error.name === 'AbortError') return
    failure.textContent = failure.getAttribute('data-passkey-failure')
    button.disabled = false
  }
  button.hidden = false
  button.addEventListener('click', function () {
    waiting.abort()
    button.disabled = true
    failure.textContent = ''
    navigator.credentials[isNew ? 'create' : 'get']({ publicKey: options }).then(send).catch(fail)
  })
  if (isNew || !Key.isConditionalMediationAvailable) return
  Key.isConditionalMediationAvailable().then(function (isAvailable) {
    if (!isAvailable || waiting.signal.aborted) return
    return navigator.credentials.get({ publicKey: options, mediation: 'conditional', signal: waiting.signal }).then(send)
  }).catch(fail)
})()`

export const passkeyScript: PageScript = {
  element: dangerouslyUnescaped(`<script>${scriptText}</script>`),
  hash: 'sha256-a2xWFtm2kjGALeI37Mv0cqTeNypKV7oA4nD9N9Qgnh8=',
}
