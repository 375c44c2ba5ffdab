// An error boundary: a failing part of the page shows its error, and the others keep working.
import { useErrorBoundary } from 'preact/hooks';

export function Safe({ name, children }) {
  const [error] = useErrorBoundary();
  return error ? <p class="note">The {name} cannot be shown: {String(error.message)}</p> : children;
}
