import { t } from "../../../l10n/t.ts";
import { showInvisible, showPath } from "../../model/words/invisible.ts";
import { CommandButton } from "../parts/command-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { usePage } from "../parts/page-context.ts";

/** Images attached to the next prompt; each can be removed. */
export function AttachedImages() {
	const page = usePage();
	const attached = page.composer.images.attached.value;
	if (attached.length === 0) return null;
	return (
		<>
			<NotRead />
			<ul class="attached" aria-label={t("Images")}>
				{attached.map((image) => (
					<li key={image.key} class="thumbnail">
						<img src={image.url} alt={showPath(image.name)} title={showPath(image.name)} />
						<button
							type="button"
							class="icon-button"
							title={t("Remove")}
							aria-label={showInvisible(t("Remove {0}", image.name))}
							onClick={() => page.composer.images.detach([image])}
						>
							<Icon name="close" />
						</button>
					</li>
				))}
			</ul>
		</>
	);
}

/** Said before anything is sent. */
function NotRead() {
	const next = usePage().next.value;
	if (next === undefined || next.readsImages) return null;
	return (
		<p class="attached-note" role="status">
			<Icon name="warning" />
			<span>
				{showInvisible(t("{0} may not support images, so they won't be sent.", next.model))}{" "}
				<CommandButton command="changeModel" look="text-button" />
			</span>
		</p>
	);
}
