// The user table, passwords and pages are those of the project that `npm create mintmark` makes.
export { knownBrowsers } from '../../../packages/create-mintmark/template/shared/code/known-browser.ts'
export {
  askAccount,
  askConsent,
  askSignIn,
  askSiteSignIn,
  errorPage,
  logoutPage,
} from '../../../packages/create-mintmark/template/shared/code/pages.ts'
export { passkeySignIn } from '../../../packages/create-mintmark/template/users/ours/code/passkey-sign-in.ts'
export { askPasskeys } from '../../../packages/create-mintmark/template/users/ours/code/passkeys-page.ts'
export {
  forgetRemoved,
  keepPassword,
} from '../../../packages/create-mintmark/template/users/ours/code/provisioned-users.ts'
export {
  openUsers,
  type NewUser,
  type User,
  type Users,
} from '../../../packages/create-mintmark/template/users/ours/code/users.ts'
export { openTables } from '../../../packages/create-mintmark/template/databases/sqlite/code/database.ts'
