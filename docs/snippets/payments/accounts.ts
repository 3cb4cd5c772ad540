/** Stands for the accounts of the signed-in user. */
export const accountsOf = [
  { value: 'current', label: 'Current account' },
  { value: 'savings', label: 'Savings account' },
]
