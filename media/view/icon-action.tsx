import { Icon } from "./icon.tsx";

interface Props {
	readonly name: string;
	readonly icon: string;
	readonly isReady: boolean;
	readonly onClick: () => void;
}

/** A small button that says what it does on hover and to a screen reader. */
export function IconAction({ name, icon, isReady, onClick }: Props) {
	return (
		<button type="button" class="icon-button" title={name} aria-label={name} disabled={!isReady} onClick={onClick}>
			<Icon name={icon} />
		</button>
	);
}
