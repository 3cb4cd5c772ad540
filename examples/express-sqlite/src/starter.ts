// The user table, passwords and pages are those of the project that `npm create mintmark` makes.
export { knownBrowsers } from '../../../packages/create-mintmark/template/src/known-browser.ts'
export {
  askAccount,
  askConsent,
  askSignIn,
  askSiteSignIn,
  errorPage,
  logoutPage,
} from '../../../packages/create-mintmark/template/src/pages.ts'
export { passkeySignIn } from '../../../packages/create-mintmark/template/src/passkey-sign-in.ts'
export { askPasskeys } from '../../../packages/create-mintmark/template/src/passkeys-page.ts'
export { forgetRemoved, keepPassword } from '../../../packages/create-mintmark/template/src/provisioned-users.ts'
export { openUsers, type NewUser, type User, type Users } from '../../../packages/create-mintmark/template/src/users.ts'
