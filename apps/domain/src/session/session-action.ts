/** What the audit log calls the acts of users on their own account. */
export type SessionAction =
  | 'sign_in'
  | 'sign_in_again'
  | 'sign_out'
  | 'end_sessions'
  | 'set_up_owner'
  | 'accept_invitation'
  | 'request_password_reset'
  | 'reset_password'
  | 'change_password'
  | 'request_address_change'
  | 'change_address'
  | 'add_factor'
  | 'rename_factor'
  | 'remove_factor'
  | 'renew_recovery_codes'
  | 'use_recovery_code'
  | 'reset_factors';
