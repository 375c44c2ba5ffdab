// A part of the page that fails says so, and leaves the others alone.
import { useErrorBoundary } from 'preact/hooks';

export function Safe({ name, children }) {
  const [error] = useErrorBoundary();
  return error ? <p class="note">The {name} cannot be shown: {String(error.message)}</p> : children;
}
